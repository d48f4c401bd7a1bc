/** Reports what the security rules of this folder refuse. */
export type SecurityLogger = (
  message: string,
  facts: Readonly<Record<string, string | number | boolean | null>>,
) => void

const MAX_PENDING_ENTRIES = 100

/** Stores messages until `connectLog`: the security rules are set up before the log exists. */
export function createSecurityLogger(): { readonly log: SecurityLogger; connectLog(log: SecurityLogger): void } {
  const pending: Parameters<SecurityLogger>[] = []
  let target: SecurityLogger | null = null
  return {
    log(message, facts) {
      if (target) target(message, facts)
      else if (pending.length < MAX_PENDING_ENTRIES) pending.push([message, facts])
    },
    connectLog(log) {
      target = log
      for (const [message, facts] of pending.splice(0)) log(message, facts)
    },
  }
}
