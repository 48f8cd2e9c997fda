// Tells the title that a person gave a file from one that a program put there.

/** The titles that PowerPoint gives a new presentation, in the languages of its editions. */
const MADE_BY_PROGRAMS = new Set([
  'powerpoint presentation',
  'powerpoint-präsentation',
  'présentation powerpoint',
  'presentación de powerpoint',
  'presentazione standard di powerpoint',
  'presentazione di powerpoint',
  'apresentação do powerpoint',
  'powerpoint-presentatie',
  'prezentacja programu powerpoint',
  'no slide title',
  'slide 1',
  'folie 1',
])
/** Print drivers write the name of the program before the name of the file. */
const PROGRAM = /^Microsoft (?:Office )?(?:Word|Excel|PowerPoint) - /

/** Null for a title that says nothing about the file, whose name then stands for it. */
export function givenTitle(title: string): string | null {
  const given = title.replace(PROGRAM, '')
  return given === '' || MADE_BY_PROGRAMS.has(given.toLowerCase()) ? null : given
}
