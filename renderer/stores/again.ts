/** Everything that reads host data and keeps it, reloaded when the user asks for everything anew. */
const readers = new Set<() => Promise<void> | void>()

/** Registers a reader, which skips itself while it has nothing; returns a function that removes it. */
export function onReadAgain(reader: () => Promise<void> | void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** Reloads everything that was read; never rejects. */
export async function readAgain(): Promise<void> {
  await Promise.allSettled([...readers].map(async (reader) => reader()))
}
