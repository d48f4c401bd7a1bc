import { getEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../shared/errors.ts'
import type { AllowList } from '../../../shared/panel/panel.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { readHostAllowList, readPluginIds } from './policy/host-allow-list.ts'

/** The connected host's rules for panels: its allow list and plugins. */
export interface HostRules {
  getAllowList(): Pick<AllowList, 'host' | 'from'>
  plugins(): string[]
  /**
   * Reads the template of the connected host unless it was read already; forgets the template when
   * no host is connected. Resolves when the attempt has ended, even if it failed.
   */
  refresh(): Promise<void>
}

const MAX_TEMPLATE_BYTES = 4 * 1024 * 1024

interface Derived {
  /** The capabilities and the template from which the rules were derived. */
  readonly from: readonly [capabilities: unknown, template: unknown]
  readonly allow: Pick<AllowList, 'host' | 'from'>
  readonly plugins: string[]
}

/** @param onChange called when the host's rules may have changed. */
export function createHostRules(client: BridgeClient, connection: Connection, onChange: () => void): HostRules {
  let template: unknown = null
  /** Identifies the connection from which the template was read. */
  let connectionKey = ''
  let derived: Derived | null = null
  let templateRead = Promise.resolve()

  function getDerivedRules(): Derived {
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

  async function readTemplate(requestedKey: string): Promise<void> {
    let value: unknown = null
    try {
      const endpoint = getEndpointById('immersive.template')
      const request = { endpoint, limits: { maxBytes: MAX_TEMPLATE_BYTES }, attempts: 1 }
      ;({ value } = await client.requestJson(connection.target(), request))
    } catch (error) {
      // Hosts without a template are normal; the rules then come from the capabilities.
      if (!(error instanceof AppError)) throw error
    }
    if (connectionKey !== requestedKey) return
    template = value
    onChange()
  }

  return {
    getAllowList: () => getDerivedRules().allow,
    plugins: () => getDerivedRules().plugins,
    refresh() {
      const { phase, profile, epoch } = connection.state()
      const newKey =
        phase === 'online' ? `${profile?.id} ${profile?.baseUrl} ${epoch}` : phase === 'none' ? '' : connectionKey
      if (newKey === connectionKey) return templateRead
      connectionKey = newKey
      template = null
      onChange()
      templateRead = newKey === '' ? Promise.resolve() : readTemplate(newKey).catch(() => undefined)
      return templateRead
    },
  }
}
