/**
 * ln Γ(x) for x > 0, to about 15 digits: Lanczos' approximation with g = 7 and nine terms
 * (Lanczos 1964; coefficients of Godfrey 2001). Below ½ it uses Γ(x) = Γ(x+1)/x rather than the reflection formula,
 * which this domain does not need.
 */
export function logGamma(x: number): number {
  if (x < 0.5) return logGamma(x + 1) - Math.log(x);
  const z = x - 1;
  let series = 0.9999999999998099;
  for (let i = 0; i < LANCZOS.length; i++) series += (LANCZOS[i] as number) / (z + i + 1);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(series);
}

/** ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a+b), for a, b > 0. */
export function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];
