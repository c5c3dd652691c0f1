/** What the bundle offers: the widget, the page, and the mathematics for tests from outside. */

import { openPage } from "./hosts/page";
import { render } from "./hosts/widget";

export * as core from "./core/index";
export { fromFragment, toFragment } from "./hosts/fragment";
export { widgetHost } from "./hosts/widget";
export * as model from "./model";

/** What anywidget calls. */
export default { render };

// A page inlines this file as its only script; elsewhere (a notebook, Node) nothing happens.
if (typeof document !== "undefined") openPage();
