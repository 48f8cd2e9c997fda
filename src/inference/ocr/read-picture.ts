// Finds the lines of text of a picture, reads each of them, and puts them in order.

import { type GreyPicture, shrink } from '../../domain/pictures/grey-picture.ts'
import { cutLine } from './cut-line.ts'
import { type DecodedLine, decodeLine, type LineProbabilities } from './decode-line.ts'
import { findBoxes, type ProbabilityMap } from './find-boxes.ts'
import type { RecognisedText } from './process/recogniser-messages.ts'
import { orderBoxes } from './reading-order.ts'
import { splitStrips } from './split-strips.ts'
import { type TextBox, turnHalf, turnQuarter } from './text-box.ts'

export interface RecognitionModels {
  /** Three equal channels of `width` times `height` values, -1 is black and 1 is white; both are multiples of 32. */
  detect(values: Float32Array, size: { width: number; height: number }): Promise<ProbabilityMap>
  /** Three equal channels of a line, as `cutLine` makes them. */
  recognise(values: Float32Array, width: number): Promise<LineProbabilities>
  /** Those of the recognising model's classes 1 and up. */
  characters: readonly string[]
}

interface ReadLine extends DecodedLine {
  box: TextBox
}

/** An A4 page has 1,616 times 1,143 then, which small print needs. Time and memory grow with their number. */
const MAX_DETECTION_PIXELS = 1_850_000
/** The model halves its input five times. */
const SIDE_STEP = 32
/** A box of this shape has text that runs upwards or downwards. */
const TALL = 1.5
/** A box that is less tall may also be a single narrow letter. */
const MAX_LETTER_TALL = 3
/** A page is upside down if its widest lines are read better that way. Lines that are upright are above this. */
const LINES_TO_JUDGE = 6
const UPRIGHT_CONFIDENCE = 0.9
/** Lines below this are patterns and pictures. */
const MIN_CONFIDENCE = 0.5

export async function readPicture(models: RecognitionModels, picture: GreyPicture): Promise<RecognisedText> {
  const found = await detectBoxes(models, picture)
  const boxes = found.map((box) => (box.height >= TALL * box.width ? turnQuarter(box) : box))
  const isTurned = await isUpsideDown(models, picture, boxes)
  const lines: ReadLine[] = []
  for (const box of boxes) {
    const line = await readBox(models, picture, isTurned ? turnHalf(box) : box)
    if (line.text !== '' && line.confidence >= MIN_CONFIDENCE) lines.push(line)
  }
  const blocks = orderBoxes(lines)
  const text = blocks.map((block) => block.map((line) => line.map((it) => it.text).join(' ')).join('\n')).join('\n\n')
  return { text, confidence: lines.length === 0 ? 1 : meanConfidence(lines) }
}

async function detectBoxes(models: RecognitionModels, picture: GreyPicture): Promise<TextBox[]> {
  const boxes: TextBox[] = []
  for (const strip of splitStrips(picture, MAX_DETECTION_PIXELS)) {
    const found = await detectInStrip(models, strip)
    boxes.push(...found.map((it) => ({ ...it, y: it.y + strip.top })))
  }
  return boxes
}

async function detectInStrip(models: RecognitionModels, picture: GreyPicture): Promise<TextBox[]> {
  const scale = Math.min(1, Math.sqrt(MAX_DETECTION_PIXELS / (picture.width * picture.height)))
  const small = shrink(picture, {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  })
  const size = { width: roundUp(small.width), height: roundUp(small.height) }
  const map = await models.detect(toDetectionInput(small, size), size)
  const [scaleX, scaleY] = [picture.width / small.width, picture.height / small.height]
  return findBoxes(map).map((it) => ({
    ...it,
    x: it.x * scaleX,
    y: it.y * scaleY,
    width: it.width * scaleX,
    height: it.height * scaleY,
  }))
}

const roundUp = (side: number) => Math.ceil(side / SIDE_STEP) * SIDE_STEP

/** The rest at the right and at the bottom repeats the edge, so that no new edge is made. */
function toDetectionInput(
  { width, height, pixels }: GreyPicture,
  size: { width: number; height: number },
): Float32Array {
  const count = size.width * size.height
  const values = new Float32Array(3 * count)
  for (let y = 0; y < size.height; y++)
    for (let x = 0; x < size.width; x++) {
      const pixel = pixels[Math.min(y, height - 1) * width + Math.min(x, width - 1)] ?? 0
      values[y * size.width + x] = pixel / 127.5 - 1
    }
  values.copyWithin(count, 0, count)
  values.copyWithin(2 * count, 0, count)
  return values
}

async function isUpsideDown(models: RecognitionModels, picture: GreyPicture, boxes: TextBox[]): Promise<boolean> {
  const widest = boxes.toSorted((a, b) => b.width - a.width).slice(0, LINES_TO_JUDGE)
  const upright: DecodedLine[] = []
  for (const box of widest) upright.push(await readUpright(models, picture, box))
  if (meanConfidence(upright) >= UPRIGHT_CONFIDENCE) return false
  const turned: DecodedLine[] = []
  for (const box of widest) turned.push(await readUpright(models, picture, turnHalf(box)))
  return meanConfidence(turned) > meanConfidence(upright)
}

/** Text at a right angle to the page may run upwards or downwards, or be a narrow letter: the surest reading counts. */
async function readBox(models: RecognitionModels, picture: GreyPicture, box: TextBox): Promise<ReadLine> {
  const isAcross = Math.abs(box.right.y) > Math.SQRT1_2
  const isLetter = isAcross && box.width < MAX_LETTER_TALL * box.height
  const others = [...(isLetter ? [turnQuarter(turnHalf(box))] : []), ...(isAcross ? [turnHalf(box)] : [])]
  let best: ReadLine = { ...(await readUpright(models, picture, box)), box }
  for (const other of others) {
    if (best.confidence >= UPRIGHT_CONFIDENCE) return best
    const line = await readUpright(models, picture, other)
    if (line.confidence > best.confidence) best = { ...line, box: other }
  }
  return best
}

async function readUpright(models: RecognitionModels, picture: GreyPicture, box: TextBox): Promise<DecodedLine> {
  const { values, width } = cutLine(picture, box)
  return decodeLine(await models.recognise(values, width), models.characters)
}

function meanConfidence(lines: readonly DecodedLine[]): number {
  const characters = lines.reduce((sum, it) => sum + it.characters, 0)
  return lines.reduce((sum, it) => sum + it.confidence * it.characters, 0) / Math.max(1, characters)
}
