export const hitKinds = ['note', 'studySet', 'document', 'deck', 'other'] as const
export type HitKind = (typeof hitKinds)[number]

const words: Readonly<Record<string, HitKind>> = {
  note: 'note',
  card: 'note',
  studyset: 'studySet',
  topic: 'studySet',
  document: 'document',
  book: 'document',
  deck: 'deck',
}

/** The kind of hit that a word means, in whatever case and number it is written: `Study-Sets`. Undefined if it is none that is known. */
export function hitKindOf(word: string): HitKind | undefined {
  const bare = word
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/s$/, '')
  return Object.hasOwn(words, bare) ? words[bare] : undefined
}
