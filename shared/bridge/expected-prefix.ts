/** Characters of the present text that `expectedPrefix` holds (observed-0.49 §5). */
export const PREFIX_LENGTH = 32

/**
 * What `expectedPrefix` is for a present text: its first 32 characters, the empty text where there is none. The documents do not say what a
 * character is; counted are code points, so that none is cut in two.
 */
export const expectedPrefixOf = (text: string): string =>
  [...text.slice(0, PREFIX_LENGTH * 2)].slice(0, PREFIX_LENGTH).join('')

/** Whether an expected prefix is the beginning of a present text, however its characters were counted. */
export function sameBeginning(expected: string, present: string): boolean {
  if (expected === '') return present === ''
  const units = present.slice(0, PREFIX_LENGTH)
  const points = expectedPrefixOf(present)
  return expected === points || expected === units
}
