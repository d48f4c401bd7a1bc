import { classifyRequest } from '../../../shared/bridge/endpoints/index.ts'
import { RuleEngine, type PendingExchange } from '../../../electron/core/protocol/rules/rule-engine.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import type { ObservedExchange } from '../../../electron/core/protocol/observed-exchange.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import type { LawfulHost } from '../hosts/lawful-hosts.ts'

export const HOST = 'http://127.0.0.1:42340/bridge/v1'
export const PANEL_ORIGIN: Origin = { kind: 'panel', label: 'Practice', caller: 'opening-1', load: 1 }
export const RECORDED_ORIGIN: Origin = { kind: 'recorded', label: 'curl', caller: 'client-1', load: 1 }

export interface StepOptions extends Partial<
  Omit<ObservedExchange, 'seq' | 'at' | 'end' | 'query' | 'params' | 'endpoint'>
> {
  readonly durationMs?: number
}

/** Feeds rules with exchanges on a clock that the test moves. */
export class RuleRecording {
  timestamp = 1_000_000
  readonly origin: Origin
  readonly responses = new Map<number, string>()
  /** The times at which findings were withdrawn. */
  readonly withdrawals: number[] = []
  readonly rules: RuleEngine
  #findingsById = new Map<string, Finding>()
  #seq = 0

  readonly #changeResponse: LawfulHost['changeResponse'] | null

  /** @param changeResponse changes the responses as another host would send them. */
  constructor(origin: Origin = PANEL_ORIGIN, changeResponse: LawfulHost['changeResponse'] | null = null) {
    this.origin = origin
    this.#changeResponse = changeResponse
    this.rules = new RuleEngine({
      onFinding: (finding) => void this.#findingsById.set(finding.id, finding),
      onWithdrawal: ({ id, at }) => {
        this.withdrawals.push(at)
        this.#findingsById.delete(id)
      },
      responseContains: (seq, text) => this.responses.get(seq)?.includes(text) ?? null,
    })
  }

  get findings(): Finding[] {
    return [...this.#findingsById.values()]
  }

  get brokenRules(): string[] {
    return this.findings.map(({ rule }) => rule)
  }

  wait(ms: number): this {
    this.timestamp += ms
    return this
  }

  /** Moves the clock, so that rules report requests that did not follow. */
  waitAndTick(ms = 60_000, underWay: readonly PendingExchange[] = []): this {
    this.wait(ms)
    this.rules.tick(this.timestamp, underWay)
    return this
  }

  /** Ends all callers: by themselves, or after the grace that a person gives them. */
  end({ isByItself = false, graceMs = 0 } = {}): this {
    this.wait(graceMs)
    this.rules.endCallers({}, { at: this.timestamp, isByItself })
    return this
  }

  send(method: string, path: string, options: StepOptions = {}): number {
    const { durationMs = 20, ...rest } = options
    const { endpoint, params } = classifyRequest(method, path)
    this.#seq += 1
    const startedAt = this.timestamp
    this.timestamp += durationMs
    const step: ObservedExchange = {
      seq: this.#seq,
      startedAt: startedAt,
      endedAt: this.timestamp,
      origin: this.origin,
      host: HOST,
      instance: 'run-1',
      endpoint: endpoint?.id ?? null,
      method,
      path,
      params,
      query: new Map(new URL(path, 'http://host').searchParams),
      body: undefined,
      isBodyKnown: true,
      state: 'answered',
      status: 200,
      code: null,
      response: {},
      attempt: 1,
      via: null,
      sentMembers: null,
      isHeld: false,
      isHostResponse: true,
      isJudged: true,
      ...rest,
    }
    const changedStep = this.#change(step)
    if (changedStep.response !== undefined) this.responses.set(step.seq, JSON.stringify(changedStep.response))
    this.rules.observeExchange(changedStep)
    return step.seq
  }

  #change(step: ObservedExchange): ObservedExchange {
    const { endpoint, status, response } = step
    if (!this.#changeResponse || endpoint === null || status === null || response === undefined) return step
    const changed = this.#changeResponse(endpoint, { status, body: response })
    const code = errorCodeOf(changed.body)
    return {
      ...step,
      status: changed.status,
      response: changed.body,
      code: code === errorCodeOf(response) ? step.code : code,
    }
  }

  get(path: string, options: StepOptions = {}): number {
    return this.send('GET', path, options)
  }

  post(path: string, body: unknown, options: StepOptions = {}): number {
    return this.send('POST', path, { body, ...options })
  }

  buildRefusal(status: number, code: string, details: Record<string, unknown> = {}): StepOptions {
    return { status, code, response: { error: { code, message: code, details } } }
  }

  sendCommit(
    requestId: string,
    options: StepOptions & { readonly noteid?: string; readonly surfaceId?: string } = {},
  ): number {
    const { noteid = 'N-1', surfaceId = 'S-1', ...rest } = options
    const target = { topicid: 'T-1', noteid, layerId: '' }
    const response = { state: 'pending', requestId, windowId: `window-${surfaceId}`, target }
    return this.post(
      '/writing/pencil-commit',
      { surfaceId, requestId, target },
      { status: 202, response: response, ...rest },
    )
  }

  poll(requestId: string, settled: boolean, options: StepOptions = {}): number {
    return this.post('/writing/pencil-result', { requestId }, { response: { requestId, settled }, ...options })
  }

  sendVerdict(noteid: string, expectedRevision: string, options: StepOptions = {}): number {
    const body = { commentId: 'C', expectedRevision, practice: { topic: 'T-1' }, self: 'again' }
    return this.post(`/notes/${noteid}/practice-verdict`, body, options)
  }

  readPage(
    cursor: string | null,
    next: string | null,
    options: StepOptions & { readonly limit?: number } = {},
  ): number {
    const { limit = 50, ...rest } = options
    const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) })
    const response = { nodes: [{ noteid: `N-${cursor ?? 'first'}` }], nextCursor: next, truncated: next !== null }
    return this.get(`/study-sets/T-1/tree?${query}`, { response: response, ...rest })
  }
}
