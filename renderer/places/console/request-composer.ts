import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import type { EndpointAccess } from '../../../shared/bridge/endpoints/endpoint.ts'
import { findUnfilledPlaceholders } from '../../../shared/bridge/endpoints/path-template.ts'
import {
  getCallAccess,
  listCallTargets,
  matchCallTarget,
  type CallTarget,
  type CallMatch,
} from '../../../shared/bridge/call-target.ts'
import { fillRequestVariables } from '../../../shared/collections/request-sequence.ts'
import type { Variables } from '../../../shared/collections/variables.ts'
import { useCollections } from '../../stores/collections.ts'
import { useConnection } from '../../stores/connection.ts'
import { useConsole } from '../../stores/console.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'
import { readWriteResponse, useWriteReview, type ReviewObstacle } from './write-review.ts'
import { cacheConsoleResponse } from './field-suggestions.ts'

/** The reason why a request was not sent. The code is a message key below `console.cannot`. */
export type SendObstacle = { readonly code: ReviewObstacle | 'placeholders' | 'variables'; readonly names: string }

/** One object, so that a change of a tab does not look like a change of its variables. */
const noVariables: Variables = {}

export interface RequestComposer {
  readonly callTargets: ComputedRef<readonly CallTarget[]>
  /** Null if neither the endpoint table nor the host lists the path. */
  readonly match: ComputedRef<CallMatch | null>
  readonly access: ComputedRef<EndpointAccess>
  /** Variables of the collection in which the request is saved. */
  readonly variables: ComputedRef<Variables>
  readonly obstacle: ShallowRef<SendObstacle | null>
  /** Keeps the body, or starts with `{}`. The body becomes null if the endpoint takes none. */
  selectEndpoint(target: CallTarget, path: string): void
  sendRequest(): Promise<void>
}

/** The target of the open request, and sending it directly or through the review. */
export function useRequestComposer(): RequestComposer {
  const store = useConsole()
  const collections = useCollections()
  const connection = useConnection()
  const host = useHostCapabilities()
  const callTargets = computed(() => listCallTargets(host.capabilities, connection.state.profile?.paths))
  const writeReview = useWriteReview(() => callTargets.value)
  const match = computed(() =>
    store.tab ? matchCallTarget(store.tab.method, store.tab.path, callTargets.value) : null,
  )
  const access = computed(() => getCallAccess(store.tab?.method ?? 'GET', match.value, store.tab?.body ?? null))
  const variables = computed<Variables>(
    () => (store.tab?.saved && collections.findById(store.tab.saved.collection)?.variables) ?? noVariables,
  )
  const obstacle = shallowRef<SendObstacle | null>(null)
  watch(
    () => [store.tab?.id, store.tab?.method, store.tab?.path, store.tab?.body],
    () => (obstacle.value = null),
  )

  function selectEndpoint(target: CallTarget, path: string): void {
    const { tab } = store
    if (!tab) return
    const takesBody = target.row.body !== null
    store.updateTab(tab.id, {
      method: target.method,
      path,
      body: takesBody ? (tab.body ?? '{}') : null,
    })
  }

  async function sendRequest(): Promise<void> {
    const { tab } = store
    if (!tab) return
    const placeholders = findUnfilledPlaceholders(tab.path)
    if (placeholders.length > 0) return void (obstacle.value = { code: 'placeholders', names: placeholders.join(', ') })
    const filledRequest = fillRequestVariables(tab, variables.value)
    if ('missing' in filledRequest)
      return void (obstacle.value = { code: 'variables', names: filledRequest.missing.join(', ') })
    obstacle.value = null
    if (
      getCallAccess(
        filledRequest.method,
        matchCallTarget(filledRequest.method, filledRequest.path, callTargets.value),
        filledRequest.body,
      ) === 'read'
    ) {
      await store.send(tab.id, filledRequest)
      const seq = store.tabs.find(({ id }) => id === tab.id)?.seq
      if (typeof seq === 'number') await cacheConsoleResponse(seq)
      return
    }
    const code = writeReview.findObstacle(filledRequest)
    if (code) return void (obstacle.value = { code, names: '' })
    const operation = await writeReview.openReview(filledRequest)
    if (operation) store.updateTab(tab.id, { seq: (await readWriteResponse(operation)).seq })
  }

  return { callTargets, match, access, variables, obstacle, selectEndpoint, sendRequest }
}
