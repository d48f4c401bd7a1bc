/** Where the rules in this folder report what they refuse. */
export type Note = (message: string, facts: Readonly<Record<string, string | number | boolean | null>>) => void

const MAX_WAITING = 100

/** A note that holds on to early messages until there is a log, because the rules are in place before anything else. */
export function createNote(): { readonly note: Note; connect(log: Note): void } {
  const waiting: Parameters<Note>[] = []
  let target: Note | null = null
  return {
    note(message, facts) {
      if (target) target(message, facts)
      else if (waiting.length < MAX_WAITING) waiting.push([message, facts])
    },
    connect(log) {
      target = log
      for (const [message, facts] of waiting.splice(0)) log(message, facts)
    },
  }
}
