// The picture that a test of a model sends, so that a server that reads no pictures can refuse it.
import type { ImagePart } from '../../inference/language-model.ts'

/** A white square of 64 pixels a side, because some servers refuse smaller ones. */
export const PROBE_PICTURE: ImagePart = {
  type: 'image',
  media_type: 'image/png',
  base64:
    'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoPo33UrYvQQckD4XAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAYHLAMpT0sIcNbcEAAAAAElFTkSuQmCC',
}
