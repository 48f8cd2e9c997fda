// Loads the English texts, as the program of the pages does before it begins.
import en from '../../web/src/text/en.json' with { type: 'json' }
import { addTexts } from '../../web/src/text/texts.ts'

addTexts(en)
