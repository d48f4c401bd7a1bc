/** The text, if the value is one and is not empty; null otherwise. */
export const filledText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
