/** Which addresses are nobody's business but the machine's and its neighbours': no webhook goes there unasked. */
import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
  // The same behind the prefixes by which IPv6 reaches IPv4: mapped, translated (SIIT, NAT64) and 6to4.
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  const [high, low] = [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  PRIVATE.addSubnet(`::ffff:${network}`, 96 + bits, 'ipv6');
  PRIVATE.addSubnet(`::ffff:0:${network}`, 96 + bits, 'ipv6');
  PRIVATE.addSubnet(`64:ff9b::${network}`, 96 + bits, 'ipv6');
  PRIVATE.addSubnet(`2002:${high}:${low}::`, 16 + bits, 'ipv6');
}
for (const [network, bits] of [
  // Loopback, and IPv4 inside IPv6 as it was once meant to be: nobody has an address there any more (RFC 4291).
  ['::', 96],
  // NAT64 of a network's own (RFC 8215), and Teredo, which hides an IPv4 address behind another (RFC 4380).
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['100::', 64],
  ['2001:db8::', 32],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv6');
}

/** What is no address at all is not let through either. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family === 0 || PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
