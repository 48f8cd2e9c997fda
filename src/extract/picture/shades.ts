// Shades of grey: 0 is black, 255 is white.

/** The weights of ITU-R BT.601. */
export const greyOfColour = (red: number, green: number, blue: number): number =>
  (red * 77 + green * 150 + blue * 29) >> 8

/** `opacity` is at most 255. */
export const overWhite = (grey: number, opacity: number): number => 255 - Math.round(((255 - grey) * opacity) / 255)
