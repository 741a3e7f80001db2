/** `t=<unix seconds>,v1=<hex>`: an HMAC-SHA-256 over the time, a dot and the body, for `X-Renown-Signature`. */
export async function sign(secret: string, unixSeconds: number, body: string): Promise<string> {
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const bytes = await crypto.subtle.sign('HMAC', key, encoder.encode(`${unixSeconds}.${body}`));
  const hex = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `t=${unixSeconds},v1=${hex}`;
}
