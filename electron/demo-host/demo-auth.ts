import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '../../shared/bridge/endpoints/endpoint.ts'
import { PRACTICE_ADDON_ID } from './library/model.ts'
import { panelEndpointIds } from './state/capabilities.ts'
import { DemoError } from './state/reply.ts'

/** Marks a request as coming from a plugin's panel, because the demo host has no panels. */
const PANEL_HEADER = 'x-demo-panel'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Admits requests by token, Origin, panel allow-list and pairing (spec §5, observed-0.49). */
export class DemoAuth {
  readonly token: string
  readonly #panelPluginId: string
  readonly #paired = new Set<string>()
  #code: string | null
  #wrongTries = 0
  #codeUntil: number

  /** @param panelPluginId the plugin as which a request is made that is marked as a panel's */
  constructor(token: string, pairingCode: string | null, panelPluginId = PRACTICE_ADDON_ID) {
    this.token = token
    this.#panelPluginId = panelPluginId
    this.#code = pairingCode
    this.#codeUntil = Date.now() + 5 * 60_000
  }

  isAuthorized(request: IncomingMessage): boolean {
    const [scheme, value] = (request.headers.authorization ?? '').split(' ')
    if (scheme?.toLowerCase() !== 'bearer' || value === undefined) return false
    return timingSafeEqual(digest(value), digest(this.token)) || this.#paired.has(value)
  }

  isPanel = (request: IncomingMessage): boolean => request.headers[PANEL_HEADER] === '1'

  /** Null is an unknown route. @throws FORBIDDEN_ORIGIN, UNAUTHORIZED, IN_PROCESS_NOT_ALLOWED */
  assertAdmitted(request: IncomingMessage, endpoint: Endpoint | null): void {
    if (this.isPanel(request)) {
      if (!endpoint || !panelEndpointIds.has(endpoint.id)) {
        throw new DemoError(403, 'IN_PROCESS_NOT_ALLOWED', 'The path is not in the web-panel allow-list.')
      }
      return
    }
    if (request.headers.origin !== undefined) {
      throw new DemoError(403, 'FORBIDDEN_ORIGIN', 'Requests with an Origin header are refused.')
    }
    if (endpoint?.auth === 'token') this.assertAuthorized(request)
  }

  /** @throws UNAUTHORIZED */
  assertAuthorized(request: IncomingMessage): void {
    if (!this.isAuthorized(request)) throw new DemoError(401, 'UNAUTHORIZED', 'The token is missing or wrong.')
  }

  /** Adds what the host sets in a panel's body: `confirm`, and `addon` if accepted. @see spec §4 */
  fillBody(
    request: IncomingMessage,
    endpoint: Endpoint,
    body: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    if (!this.isPanel(request) || endpoint.access === 'read') return { ...body }
    const carriesAddon = endpoint.hasAddon || Object.hasOwn(body, 'addon')
    const confirm = endpoint.confirm === 'body' ? { confirm: true } : {}
    return { ...body, ...confirm, ...(carriesAddon ? { addon: this.#panelPluginId } : {}) }
  }

  /** A code works once within five minutes; three wrong ones end it. Failures look alike. */
  pairDevice(code: unknown): string {
    const isCorrect = this.#code !== null && code === this.#code && Date.now() < this.#codeUntil
    if (!isCorrect) {
      this.#wrongTries += 1
      if (this.#wrongTries >= 3) this.#code = null
      throw new DemoError(403, 'PAIRING_FAILED', 'Pairing failed.')
    }
    this.#code = null
    const token = `mnb0.${randomBytes(18).toString('base64url')}`
    this.#paired.add(token)
    return token
  }
}
