/** What the bundle offers: the widget, the page, and the mathematics for tests from outside. */
export * as core from "./core/index";
export * as model from "./model";
