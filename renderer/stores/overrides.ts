import { defineStore } from './define-store.ts'
import { computed, shallowRef } from 'vue'
import type { OverrideRule, OverridesState } from '../../shared/panel/overrides.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { readExchangeRows } from './exchange.ts'
import { useServiceState } from './service-state.ts'

/** The preview of a rule applies it to at most this many of the panel's last calls. */
export const MAX_PREVIEWED_CALLS = 200

export const useOverrides = defineStore('overrides', () => {
  const overrides = useServiceState<OverridesState | null>(null)
  /** The last calls that a rule could match, newest first. */
  const calls = shallowRef<readonly ExchangeRow[]>([])
  /** A new rule to show in the editor, which is not stored until the user saves it. */
  const draft = shallowRef<OverrideRule | null>(null)

  const load = (): Promise<void> => overrides.tryApply(call('panel.overrides', {}))
  /** @param origins the callers whose calls a rule can match */
  async function readCalls(origins: readonly ('panel' | 'recorded')[] = ['panel']): Promise<void> {
    try {
      const sort = { by: 'time', descending: true } as const
      const { bytes } = await call('traffic.find', { filter: { origins: [...origins] }, sort })
      calls.value = await readExchangeRows([...new Uint32Array(bytes).subarray(0, MAX_PREVIEWED_CALLS)])
    } catch {
      // Without the calls, only the preview of matching calls is missing.
    }
  }

  /** The list stays unchanged if saving fails. @throws what `panel.saveOverrides` throws */
  async function save(rules: readonly OverrideRule[]): Promise<void> {
    await overrides.apply(call('panel.saveOverrides', { rules: [...rules] }))
  }

  subscribe('panel.overridesChanged', overrides.accept)
  onServiceReachable(() => void load())

  return {
    state: overrides.state,
    error: overrides.error,
    calls,
    draft,
    rules: computed<readonly OverrideRule[]>(() => overrides.state.value?.rules ?? []),
    load,
    readCalls,
    save,
    /** Responds as recorded to such requests; has no effect until the user saves it. */
    async draftRuleFromExchange(seq: number): Promise<void> {
      draft.value = await call('panel.ruleFrom', { seq })
    },
  }
})
