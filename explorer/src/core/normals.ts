/** Points that stand for the standard normal law in the plane, always the same. */

const most = 1 << 13;
let known: Float64Array | null = null;

/**
 * x, y, x, y, …; any first few are spread evenly: steps of the powers of a generalised golden ratio,
 * as squared radius and angle.
 */
export function normals(): Float64Array {
  if (known === null) {
    const ratio = 1.324717957244746; // of x³ = x + 1
    known = new Float64Array(2 * most);
    for (let k = 0; k < most; k++) {
      const radius = Math.sqrt(-2 * Math.log(1 - ((0.5 + (k + 1) / ratio) % 1)));
      const angle = 2 * Math.PI * ((0.5 + (k + 1) / ratio ** 2) % 1);
      known[2 * k] = radius * Math.cos(angle);
      known[2 * k + 1] = radius * Math.sin(angle);
    }
  }
  return known;
}
