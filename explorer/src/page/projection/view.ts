/** From the plane of the components to the screen and back, with the same unit on both axes. */

export interface Extent {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

export interface Inset {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export class View {
  /** Pixels for one unit of the components, before zooming. */
  private unit = 1;
  private centre: readonly [number, number] = [0, 0];
  private half: readonly [number, number] = [1, 1];
  private middle: readonly [number, number] = [0, 0];
  /** Zoom factor and shift in pixels. */
  zoom = { k: 1, x: 0, y: 0 };
  /** Whether the second axis has a unit of its own: strips of rows for a single component. */
  private strips = 0;

  /**
   * Makes an extent fit into the frame: anew for a new question. For one that only moves, the view
   * grows when it must, and shrinks when it is filled to less than a share `slack`, so that it does
   * not breathe with every frame.
   */
  fit(extent: Extent, frame: { width: number; height: number }, inset: Inset, slack: number, strips = 0): void {
    const width = Math.max(frame.width - inset.left - inset.right, 20);
    const height = Math.max(frame.height - inset.top - inset.bottom, 20);
    this.middle = [inset.left + width / 2, inset.top + height / 2];
    this.strips = strips;
    const spread = (low: number, high: number) => Math.max(high - low, 0) / 2;
    const wanted = [spread(extent.left, extent.right), strips ? 0 : spread(extent.bottom, extent.top)] as const;
    const centre = [(extent.left + extent.right) / 2, strips ? 0 : (extent.bottom + extent.top) / 2] as const;
    const needed = Math.max(wanted[0] / width, wanted[1] / height);
    const present = Math.max(this.half[0] / width, this.half[1] / height);
    const outside =
      Math.abs(centre[0] - this.centre[0]) + wanted[0] > present * width * 1.001 ||
      Math.abs(centre[1] - this.centre[1]) + wanted[1] > present * height * 1.001;
    if (outside || needed < slack * present) {
      const margin = 1.08;
      this.half = [wanted[0] * margin || (wanted[1] * margin * width) / height || 1, wanted[1] * margin];
      this.centre = centre;
    }
    this.unit = 0.5 / Math.max(this.half[0] / width, this.half[1] / height);
  }

  /** Pixels for one unit, zoom included. */
  get scale(): number {
    return this.unit * this.zoom.k;
  }

  x(value: number): number {
    return this.zoom.k * (this.middle[0] + (value - this.centre[0]) * this.unit) + this.zoom.x;
  }

  y(value: number): number {
    if (this.strips) return this.strip(value);
    return this.zoom.k * (this.middle[1] - (value - this.centre[1]) * this.unit) + this.zoom.y;
  }

  invertX(px: number): number {
    return ((px - this.zoom.x) / this.zoom.k - this.middle[0]) / this.unit + this.centre[0];
  }

  invertY(px: number): number {
    return (this.middle[1] - (px - this.zoom.y) / this.zoom.k) / this.unit + this.centre[1];
  }

  /** The middle of a row's strip, where there is one component and rows lie below each other. */
  private strip(row: number): number {
    const step = Math.min((2 * this.middle[1] * 0.8) / this.strips, 40);
    return this.middle[1] + (row - (this.strips - 1) / 2) * step;
  }
}
