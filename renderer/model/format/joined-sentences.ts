/** Joins sentences, leaving out empty ones. After full-width punctuation stands no space. */
export function joinSentences(sentences: readonly (string | false | null | undefined)[]): string {
  return sentences
    .filter((sentence) => typeof sentence === 'string' && sentence !== '')
    .reduce<string>((text, sentence) => text + (text === '' || /[。！？；：]$/.test(text) ? '' : ' ') + sentence, '')
}
