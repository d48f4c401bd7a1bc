// The texts that the page of a recording can show: those whose keys its own script names. What the
// page imports decides, so that no list has to be kept.

export interface MessageTree {
  readonly [name: string]: string | MessageTree
}

const STRING = /(["'`])([a-zA-Z][\w-]*\.[\w.-]*)(\1|\$\{)/g

/**
 * Returns the beginnings of the keys for which a script asks. A whole string is a key, or a name
 * below which others stand; the begin of a template is completed when the script runs.
 */
export function listKeyStarts(script: string): string[] {
  const starts = Array.from(script.matchAll(STRING), ([, , text = '', end]) =>
    end === '${' || text.endsWith('.') ? text : `${text}.`,
  )
  return [...new Set(starts)]
}

/** Keeps the messages whose keys begin like one of these. */
export function selectMessages(messages: MessageTree, keyStarts: readonly string[], parent = ''): MessageTree {
  const tree: Record<string, string | MessageTree> = {}
  for (const [name, message] of Object.entries(messages)) {
    const key = `${parent}${name}.`
    if (typeof message !== 'string') {
      const below = selectMessages(message, keyStarts, key)
      if (Object.keys(below).length > 0) tree[name] = below
    } else if (keyStarts.some((start) => key.startsWith(start))) tree[name] = message
  }
  return tree
}
