/** Invisible characters that change how text is shown: directions, joiners, zero width. */
const hidden = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** The text with such characters replaced by their code, `⟨U+202E⟩`: what you read is what is there. */
export const revealed = (text: string): string =>
  text.replace(hidden, (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`)
