import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import type { AllowList } from '../../../shared/panel/panel.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { readHostAllowList, readPluginIds } from './policy/host-allow-list.ts'

/** What the connected host says about panels. */
export interface HostRules {
  allow(): Pick<AllowList, 'host' | 'from'>
  plugins(): string[]
  /**
   * Reads the template of the host that is connected now, unless that has been done; forgets it
   * where none is. Resolves once it is read, whatever came of it.
   */
  refresh(): Promise<void>
}

const MAX_TEMPLATE_BYTES = 4 * 1024 * 1024

interface Derived {
  /** The capabilities and the template that it was read from. */
  readonly from: readonly [capabilities: unknown, template: unknown]
  readonly allow: Pick<AllowList, 'host' | 'from'>
  readonly plugins: string[]
}

/** `changed` is called when the host says something else than before. */
export function createHostRules(client: BridgeClient, connection: Connection, changed: () => void): HostRules {
  let template: unknown = null
  /** Names the connection that the template was read from. */
  let of = ''
  let derived: Derived | null = null
  let reading = Promise.resolve()

  function current(): Derived {
    const capabilities = isConnected() ? connection.capabilities() : null
    if (derived?.from[0] === capabilities && derived.from[1] === template) return derived
    derived = {
      from: [capabilities, template],
      allow: readHostAllowList(capabilities, template),
      plugins: readPluginIds(template),
    }
    return derived
  }
  const isConnected = (): boolean => connection.state().phase !== 'none'

  async function read(now: string): Promise<void> {
    let value: unknown = null
    try {
      const endpoint = getEndpointById('immersive.template')
      const request = { endpoint, limits: { maxBytes: MAX_TEMPLATE_BYTES }, attempts: 1 }
      ;({ value } = await client.requestJson(connection.target(), request))
    } catch (error) {
      // Not every host has a template; what the capabilities say counts then.
      if (!(error instanceof AppError)) throw error
    }
    if (of !== now) return
    template = value
    changed()
  }

  return {
    allow: () => current().allow,
    plugins: () => current().plugins,
    refresh() {
      const { phase, profile, epoch } = connection.state()
      const now = phase === 'online' ? `${profile?.id} ${profile?.baseUrl} ${epoch}` : phase === 'none' ? '' : of
      if (now === of) return reading
      of = now
      template = null
      changed()
      reading = now === '' ? Promise.resolve() : read(now).catch(() => undefined)
      return reading
    },
  }
}
