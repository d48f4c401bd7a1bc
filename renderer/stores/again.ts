/** What reads something of the host and keeps it: to be read again when a person asks for everything anew. */
const readers = new Set<() => Promise<void> | void>()

/** Registers a reader that skips itself while it has nothing; the answered function takes it out again. */
export function onReadAgain(reader: () => Promise<void> | void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** Reads everything again that was read; never rejects. */
export async function readAgain(): Promise<void> {
  await Promise.allSettled([...readers].map(async (reader) => reader()))
}
