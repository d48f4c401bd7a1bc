import type { Findings } from '../services/findings/findings.ts'
import type { TrafficStore } from '../services/traffic/store.ts'
import type { Handlers } from './types.ts'

/** What callers did wrong, and which rules are muted. */
export function findingsHandlers(
  findings: Findings,
  store: Pick<TrafficStore, 'judgePast' | 'clearFindings'>,
  conceal: (text: string) => string,
): Pick<Handlers, Extract<keyof Handlers, `findings.${string}`>> {
  return {
    'findings.list': ({ offset, limit, scope }) => findings.list(offset, limit, scope),
    'findings.of': ({ seq }) => ({ findings: findings.of(seq) }),
    'findings.judge': async () => store.judgePast(),
    'findings.clear': async () => {
      await store.clearFindings()
      return {}
    },
    'findings.mute': ({ rule, reason }) => ({ muted: findings.mute(rule, conceal(reason)) }),
    'findings.unmute': ({ rule }) => ({ muted: findings.unmute(rule) }),
  }
}
