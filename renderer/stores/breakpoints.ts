import { defineStore } from './define-store.ts'
import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import type {
  BreakpointRule,
  BreakpointsState,
  HeldCallDetail,
  HoldRecord,
  Resumption,
} from '../../shared/panel/breakpoints.ts'
import type { CallConditions } from '../../shared/panel/call-match.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { toAppError, useAttempt } from './errors.ts'
import { useServiceState } from './service-state.ts'

/** @throws what `breakpoints.records` throws */
export async function readHoldRecords(exchangeId: string): Promise<readonly HoldRecord[]> {
  return (await call('breakpoints.records', { exchangeId })).records
}

/** The conditions that every call of the same route meets. */
export function toRouteConditions({ method, template }: Pick<ExchangeRow, 'method' | 'template'>): CallConditions {
  return {
    method: method.toUpperCase(),
    path: template,
  }
}

/** Lets a new breakpoint begin with the route of the selected call, while its list is shown. */
export function useSelectedRoute(getRow: () => ExchangeRow | undefined): void {
  const breakpoints = useBreakpoints()
  const route = computed(() => {
    const row = getRow()
    return row ? toRouteConditions(row) : null
  })
  watch(route, (selectedRoute) => (breakpoints.selectedRoute = selectedRoute), { immediate: true })
  // The list of the next place may have set its route already.
  onScopeDispose(() => {
    if (breakpoints.selectedRoute === route.value) breakpoints.selectedRoute = null
  })
}

/** The breakpoints, and the calls that they hold. */
export const useBreakpoints = defineStore('breakpoints', () => {
  const { state, accept, apply, tryApply } = useServiceState<BreakpointsState>({
    rules: [],
    isHoldingAll: false,
    lapses: [],
    held: [],
  })
  /** Why the last command failed. */
  const { failure: error, attempt } = useAttempt()
  /** The route of the call that is selected in a list, with which a new breakpoint begins. */
  const selectedRoute = shallowRef<CallConditions | null>(null)
  /** The conditions with which the form of a new breakpoint opens; null if nobody asked for one. */
  const draft = shallowRef<CallConditions | null>(null)

  subscribe('breakpoints.changed', accept)
  onServiceReachable(() => void tryApply(call('breakpoints.get', {})))

  return {
    state,
    error,
    draft,
    selectedRoute,
    rules: computed(() => state.value.rules),
    save: (rules: readonly BreakpointRule[]) => attempt(() => apply(call('breakpoints.save', { rules: [...rules] }))),
    setHoldingAll: (isOn: boolean) => attempt(() => apply(call('breakpoints.holdAll', { on: isOn }))),
    forgetLapses: () => attempt(() => apply(call('breakpoints.forgetLapses', {}))),
    /** A call that went on meanwhile is no error, because the list no longer shows it. */
    resume: (id: string, resumption: Resumption) =>
      attempt(async () => {
        try {
          await call('breakpoints.resume', { id, resumption })
        } catch (thrown) {
          if (toAppError(thrown).code !== 'HELD_UNKNOWN' || resumption.kind !== 'continue' || resumption.edit)
            throw thrown
        }
      }),
    /** Reads both sides, and holds the call as long as possible from now. @throws HELD_UNKNOWN */
    async beginEdit(id: string): Promise<HeldCallDetail> {
      await call('breakpoints.extend', { id })
      return call('breakpoints.held', { id })
    },
  }
})
