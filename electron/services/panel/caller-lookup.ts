import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import { judgeCallers, type CallerReport as Told } from '../../../shared/panel/caller-report.ts'
import type { PanelState } from '../../../shared/panel/panel.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { findListedRoute } from './policy/allow-list.ts'
import { readHostAllowList, readPluginIds } from './policy/host-allow-list.ts'
import { parseCallPath } from './call/page-call.ts'

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/**
 * What the host said stays good for this long, so that going through a list of routes asks it once.
 */
const CACHE_LIFETIME_MS = 10_000

/** Tells who may call a method and path. */
export type CallerLookup = (method: string, path: string) => Promise<Told>

interface Said {
  readonly template: unknown
  readonly uiState: unknown
}

/**
 * Tells who may call a method and path on the connected host: nothing of the call is sent, only the
 * template and the interface's state are read. What cannot be read counts as not said. `panel` is
 * what the panel lab has chosen; `now` returns milliseconds.
 */
export function createCallerLookup(
  client: BridgeClient,
  connection: Connection,
  panel: () => PanelState,
  now: () => number = () => performance.now(),
): CallerLookup {
  let kept: { readonly key: string; readonly at: number; readonly said: Promise<Said> } | null = null

  async function read(id: 'immersive.template' | 'uiState.get'): Promise<unknown> {
    try {
      const request = { endpoint: getEndpoint(id), limits: { maxBytes: MAX_RESPONSE_BYTES }, attempts: 1 }
      return (await client.requestJson(connection.target(), request)).value
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }
  const readBoth = async (): Promise<Said> => {
    const [template, uiState] = await Promise.all([read('immersive.template'), read('uiState.get')])
    return { template, uiState }
  }
  function said(): Promise<Said> {
    const { phase, profile, epoch } = connection.state()
    if (phase !== 'online') return Promise.resolve({ template: null, uiState: null })
    const key = `${profile?.id} ${profile?.baseUrl} ${epoch}`
    if (kept?.key !== key || now() - kept.at > CACHE_LIFETIME_MS) kept = { key, at: now(), said: readBoth() }
    return kept.said
  }

  return async (method, path) => {
    const host = await said()
    const capabilities = connection.state().phase === 'none' ? null : connection.capabilities()
    const { allow, plugin, phase } = panel()
    const list = readHostAllowList(capabilities, host.template)
    // The choices of the panel lab hold for the panel that runs there.
    const runs = phase === 'running' || phase === 'starting'
    const mode = runs ? allow.mode : 'host'
    const verb = method.toUpperCase()
    // A template is as good as a path that it stands for.
    const judged = parseCallPath(path.replace(/\{[^{}/]*\}/g, 'x'))
    const routes = mode === 'mine' ? allow.mine : list.host
    return judgeCallers(
      verb,
      path,
      { capabilities, ...host },
      {
        allow: { mode, from: list.from },
        matchedRoute: judged && findListedRoute(routes, verb, judged),
        isUnusualPath: judged === null,
        plugin: (runs ? plugin.id : null) ?? readPluginIds(host.template)[0] ?? null,
      },
    )
  }
}
