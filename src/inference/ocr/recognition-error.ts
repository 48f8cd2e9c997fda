/** The text of this picture cannot be read. The message is for a person. */
export class RecognitionError extends Error {
  override name = 'RecognitionError'
}
