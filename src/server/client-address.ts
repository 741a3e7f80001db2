import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { RenownError } from '../core/errors.ts';

const LOOPBACK = createAddressList(['127.0.0.0/8', '::1']);

/** Addresses and networks, as `10.0.0.0/8`. */
export function createAddressList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address);
    const bits = Number(prefix ?? (family === 6 ? 128 : 32));
    if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) {
      throw new RenownError('invalid_request', `"${entry}" is no address and no network such as 10.0.0.0/8.`);
    }
    list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/**
 * Who is at the other end. A proxy that is trusted says for whom it speaks; its list is read from the right, where our own
 * proxies write, up to the first address that is none of them.
 */
export function clientAddress(request: IncomingMessage, trusted: BlockList): string {
  const peer = plain(request.socket.remoteAddress ?? '');
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined || !contains(trusted, peer)) return peer;
  const hops = String(forwarded)
    .split(',')
    .map((hop) => plain(hop.trim()));
  return hops.reverse().find((hop) => !contains(trusted, hop)) ?? peer;
}

/** Whether the client speaks TLS, which a proxy in front of us knows. */
export function isSecure(request: IncomingMessage, trusted: BlockList): boolean {
  const peer = plain(request.socket.remoteAddress ?? '');
  return contains(trusted, peer) && request.headers['x-forwarded-proto'] === 'https';
}

export function isLoopback(address: string): boolean {
  return contains(LOOPBACK, address);
}

export function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address that came through an IPv6 socket is still the same address. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
