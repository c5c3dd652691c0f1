/** What the bundle offers: the widget, the page, and the mathematics for tests from outside. */

import { standardDeviation } from "./core/covariances";
import { decode, decodeScale, encodeScale } from "./core/decode";
import { Engine } from "./core/engine";
import { finished } from "./core/path";
import { openPage } from "./hosts/page";
import { render, widgetHost } from "./hosts/widget";

export const core = { decode, decodeScale, encodeScale, Engine, finished, standardDeviation };
export { widgetHost };

/** What anywidget calls. */
export default { render };

// A page inlines this file as its only script; elsewhere (a notebook, Node) nothing happens.
if (typeof document !== "undefined") openPage();
