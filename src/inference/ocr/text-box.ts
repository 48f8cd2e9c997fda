/** A rectangle around text, in pixels of the picture. It may be turned. */
export interface TextBox {
  /** The centre. */
  x: number
  y: number
  /** Along the direction of reading. */
  width: number
  height: number
  /** The direction of reading, of length 1. The y axis points down. */
  right: { x: number; y: number }
}

/** From the top of the letters to their feet. */
export const downOf = ({ right }: Pick<TextBox, 'right'>) => ({ x: -right.y, y: right.x })

export const turnHalf = (box: TextBox): TextBox => ({ ...box, right: { x: -box.right.x, y: -box.right.y } })

/** For text that runs from the top to the bottom of the page. */
export const turnQuarter = (box: TextBox): TextBox => ({
  ...box,
  width: box.height,
  height: box.width,
  right: downOf(box),
})
