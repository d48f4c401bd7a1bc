/** Controls of the terminal (C0 but tab and line feed, DEL, C1) and of the direction of text. */
const strange = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Foreign text as it may be shown on a terminal: what would act there is shown as a JSON escape. */
export const printable = (text: string): string =>
  text.replace(strange, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Foreign text in one line of output. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
