import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { judgeCallers, type CallerReport } from '../../../shared/panel/caller-report.ts'
import type { PanelState } from '../../../shared/panel/panel.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { findListedRoute } from './policy/allow-list.ts'
import { readHostAllowList, readPluginIds } from './policy/host-allow-list.ts'
import { parseCallPath } from './call/page-call.ts'

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** A cached response lets a check of a list of routes read each only once. */
const CACHE_LIFETIME_MS = 10_000

export type CallerLookup = (method: string, path: string) => Promise<CallerReport>

interface HostFacts {
  readonly template: unknown
  readonly uiState: unknown
}

/**
 * Creates a function that finds out who may call a method and path on the connected host, without
 * sending that call: only the template and the interface's state are read, and unreadable ones are
 * treated as absent.
 * @param getPanelState The choices of the panel lab.
 * @param now Returns milliseconds.
 */
export function createCallerLookup(
  client: BridgeClient,
  connection: Connection,
  getPanelState: () => PanelState,
  now: () => number = () => performance.now(),
): CallerLookup {
  let cachedFacts: { readonly key: string; readonly at: number; readonly facts: Promise<HostFacts> } | null = null

  async function readValue(id: 'immersive.template' | 'uiState.get'): Promise<unknown> {
    try {
      const request = { endpoint: getEndpoint(id), limits: { maxBytes: MAX_RESPONSE_BYTES }, attempts: 1 }
      return (await client.requestJson(connection.target(), request)).value
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const readFacts = async (): Promise<HostFacts> => {
    const [template, uiState] = await Promise.all([readValue('immersive.template'), readValue('uiState.get')])
    return { template, uiState }
  }
  function getHostFacts(): Promise<HostFacts> {
    const { phase, profile, epoch } = connection.state()
    if (phase !== 'online') return Promise.resolve({ template: null, uiState: null })
    const key = `${profile?.id} ${profile?.baseUrl} ${epoch}`
    if (cachedFacts?.key !== key || now() - cachedFacts.at > CACHE_LIFETIME_MS)
      cachedFacts = { key, at: now(), facts: readFacts() }
    return cachedFacts.facts
  }

  return async (method, path) => {
    const host = await getHostFacts()
    const capabilities = connection.state().phase === 'none' ? null : connection.capabilities()
    const { allow, plugin, phase } = getPanelState()
    const list = readHostAllowList(capabilities, host.template)
    // The choices of the panel lab apply only to the panel that is running there.
    const isRunning = phase === 'running' || phase === 'starting'
    const mode = isRunning ? allow.mode : 'host'
    const verb = method.toUpperCase()
    // Placeholders of a template are replaced by `x`, which stands for any value.
    const callPath = parseCallPath(path.replace(/\{[^{}/]*\}/g, 'x'))
    const routes = mode === 'mine' ? allow.mine : list.host
    return judgeCallers(
      verb,
      path,
      { capabilities, ...host },
      {
        allow: { mode, from: list.from },
        matchedRoute: callPath && findListedRoute(routes, verb, callPath),
        isUnusualPath: callPath === null,
        plugin: (isRunning ? plugin.id : null) ?? readPluginIds(host.template)[0] ?? null,
      },
    )
  }
}
