/** A first page: the scale, and the components' shares. */

import type { Mount } from "../model";
import { sOf, uOf } from "../model";

export const mount: Mount = (root, engine, host) => {
  const heading = document.createElement("h1");
  heading.textContent = engine.dataset.title;
  const slider = document.createElement("input");
  slider.type = "range";
  slider.ariaLabel = "Scale s of the uncertainty";
  Object.assign(slider, { min: "0", max: "1", step: "any" });
  const text = document.createElement("p");
  root.replaceChildren(heading, slider, text);
  const update = (): void => {
    const { scale, weights, standardise } = host.get();
    engine.configure(weights, standardise);
    const fit = engine.followedFit(scale);
    slider.value = String(uOf(scale));
    text.textContent = `s = ${scale}: ${Array.from(fit.shares, (share) => share.toFixed(4)).join(", ")}`;
  };
  slider.addEventListener("input", () => host.set({ scale: sOf(Number(slider.value)) }));
  update();
  return host.onChange(update);
};
