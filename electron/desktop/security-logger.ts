/** Where the rules in this folder report what they refuse. */
export type SecurityLogger = (
  message: string,
  facts: Readonly<Record<string, string | number | boolean | null>>,
) => void

const MAX_PENDING_ENTRIES = 100

/** A note that holds on to early messages until there is a log, because the rules are in place before anything else. */
export function createSecurityLogger(): { readonly log: SecurityLogger; connectLog(log: SecurityLogger): void } {
  const waiting: Parameters<SecurityLogger>[] = []
  let target: SecurityLogger | null = null
  return {
    log(message, facts) {
      if (target) target(message, facts)
      else if (waiting.length < MAX_PENDING_ENTRIES) waiting.push([message, facts])
    },
    connectLog(log) {
      target = log
      for (const [message, facts] of waiting.splice(0)) log(message, facts)
    },
  }
}
