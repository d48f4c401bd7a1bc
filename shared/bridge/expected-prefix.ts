/** How many characters of the current text `expectedPrefix` holds (observed-0.49 §5). */
const PREFIX_LENGTH = 32

/**
 * The `expectedPrefix` for a current text: its first 32 characters, or the empty text if there is none. The documents do not say what a
 * character is; this counts code points, so that none is cut in two.
 */
export const expectedPrefixOf = (text: string): string =>
  [...text.slice(0, PREFIX_LENGTH * 2)].slice(0, PREFIX_LENGTH).join('')

/** Whether an expected prefix is the beginning of the current text, however its characters were counted. */
export function sameBeginning(expected: string, present: string): boolean {
  if (expected === '') return present === ''
  const units = present.slice(0, PREFIX_LENGTH)
  const points = expectedPrefixOf(present)
  return expected === points || expected === units
}
