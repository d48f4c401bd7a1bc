import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { OverrideRule, OverridesState } from '../../shared/panel/overrides.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'
import { readExchangeRows } from './exchange.ts'

/** Number of the panel's last calls that a rule is tried on. */
export const MAX_PREVIEWED_CALLS = 200

/**
 * The overrides of the open panel, as stored in their file, and the last calls that they could
 * match.
 */
export const useOverrides = defineStore('overrides', () => {
  const state = shallowRef<OverridesState | null>(null)
  /** Why the overrides could not be read. */
  const error = shallowRef<AppError | null>(null)
  /** The panel's last calls, newest first. */
  const calls = shallowRef<readonly ExchangeRow[]>([])
  /** A rule to show next. It exists nowhere else until it is saved. */
  const draft = shallowRef<OverrideRule | null>(null)

  async function load(): Promise<void> {
    try {
      state.value = await call('panel.overrides', {})
      error.value = null
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }
  async function readCalls(): Promise<void> {
    try {
      const sort = { by: 'time', descending: true } as const
      const { bytes } = await call('traffic.find', { filter: { origins: ['panel'] }, sort })
      calls.value = await readExchangeRows([...new Uint32Array(bytes).subarray(0, MAX_PREVIEWED_CALLS)])
    } catch {
      // Without the calls, the page only lacks the preview of what a rule would match.
    }
  }

  /**
   * Replaces the rules. @throws what `panel.saveOverrides` throws; the list stays unchanged then
   */
  async function save(rules: readonly OverrideRule[]): Promise<void> {
    state.value = await call('panel.saveOverrides', { rules: [...rules] })
  }

  // Runs again when the service process is back.
  subscribe('panel.overridesChanged', (next) => (state.value = next))
  onServiceReachable(() => void load())

  return {
    state,
    error,
    calls,
    draft,
    rules: computed<readonly OverrideRule[]>(() => state.value?.rules ?? []),
    load,
    readCalls,
    save,
    /**
     * Drafts a rule that responds to requests like this recorded exchange with the recorded
     * response. It has no effect until it is saved.
     */
    async draftRuleFromExchange(seq: number): Promise<void> {
      draft.value = await call('panel.ruleFrom', { seq })
    },
  }
})
