/**
 * Sends one request to an address that somebody else chose. The address is checked at the moment of connecting, so that
 * neither a name nor a name that changes its mind leads to a private one; redirects are not followed, because each would
 * be another address. What comes back is read no further than its status.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPrivateAddress } from './private-address.ts';

export interface PostOptions {
  /** Private addresses that the operator allows. */
  isAllowed: (address: string) => boolean;
  timeoutMs: number;
  /** The resolver of the machine, unless a test brings its own. */
  resolve?: typeof lookup;
}

export interface Posted {
  delivered: boolean;
  /** For people; quotes nothing of the answer. */
  detail: string;
}

export function postWebhook(
  url: string,
  { body, headers }: { body: string; headers: Record<string, string> },
  { isAllowed, timeoutMs, resolve = lookup }: PostOptions,
): Promise<Posted> {
  const refuses = (address: string) => isPrivateAddress(address) && !isAllowed(address);
  const target = new URL(url);
  if (pointsInside(target, isAllowed)) return Promise.resolve(failed(PRIVATE));
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    lookup: guarded(resolve, refuses),
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
  };
  return new Promise((done) => {
    const send = target.protocol === 'https:' ? requestHttps : requestHttp;
    const sent = send(target, options, (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      if (statusCode >= 200 && statusCode < 300)
        done({ delivered: true, detail: `It answered ${statusCode}.` });
      else if (statusCode >= 300 && statusCode < 400)
        done(failed(`It answered ${statusCode}; redirects are not followed.`));
      else done(failed(`It answered ${statusCode}.`));
    });
    sent.on('error', ({ name, message, code }: NodeJS.ErrnoException) => {
      if (message === PRIVATE) done(failed(PRIVATE));
      else
        done(
          failed(
            name === 'TimeoutError' || name === 'AbortError'
              ? 'It did not answer in time.'
              : `It cannot be reached (${code ?? name}).`,
          ),
        );
    });
    sent.end(body);
  });
}

/** Whether an address, not a name, stands in the URL, and may not be reached. */
export function pointsInside({ hostname }: URL, isAllowed: PostOptions['isAllowed']): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && isPrivateAddress(host) && !isAllowed(host);
}

const PRIVATE = 'It is a private address, and those are not allowed here.';

function failed(detail: string): Posted {
  return { delivered: false, detail };
}

/** Hands on what a name means only when all of it is public: the connection goes to one of these, and asks no second time. */
function guarded(resolve: typeof lookup, refuses: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses = (found ?? []) as LookupAddress[];
      if (error) return callback(error, '', 0);
      if (addresses.length === 0 || addresses.some(({ address }) => refuses(address)))
        return callback(new Error(PRIVATE), '', 0);
      if (options.all) return callback(null, addresses);
      const [{ address, family }] = addresses as [LookupAddress];
      return callback(null, address, family);
    });
  };
}
