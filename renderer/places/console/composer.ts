import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import type { Access } from '../../../shared/bridge/endpoints/endpoint.ts'
import { openPlaceholders } from '../../../shared/bridge/endpoints/path-template.ts'
import { startPath } from '../../model/console/address.ts'
import { accessOf, callables, matchOf, type Callable, type Match } from '../../../shared/bridge/callable.ts'
import { filledRequest } from '../../model/console/sequence.ts'
import type { Variables } from '../../model/console/variables.ts'
import { useCollections } from '../../stores/collections.ts'
import { useConnection } from '../../stores/connection.ts'
import { useConsole } from '../../stores/console.ts'
import { useListed } from '../../stores/listed.ts'
import { answerTo, useGate, type Hindrance } from './gate.ts'
import { keepAnswer } from './suggestions.ts'

/** Why a request was not sent (`console.cannot.<code>`). */
export type Obstacle = { readonly code: Hindrance | 'placeholders' | 'variables'; readonly names: string }

export interface Composer {
  readonly all: ComputedRef<readonly Callable[]>
  /** What the open request belongs to; null for a path that neither the table nor the host lists. */
  readonly match: ComputedRef<Match | null>
  readonly access: ComputedRef<Access>
  /** Values of the collection that the request is saved in. */
  readonly variables: ComputedRef<Variables>
  readonly obstacle: ShallowRef<Obstacle | null>
  /** Fills in the method and the path of an endpoint. */
  choose(callable: Callable): void
  /** Sends a read; opens the review of anything else. */
  send(): Promise<void>
}

/** The request in the open tab. */
export function useComposer(): Composer {
  const store = useConsole()
  const collections = useCollections()
  const connection = useConnection()
  const listed = useListed()
  const all = computed(() => callables(listed.capabilities, connection.state.profile?.paths))
  const gate = useGate(() => all.value)
  const match = computed(() => (store.tab ? matchOf(store.tab.method, store.tab.path, all.value) : null))
  const access = computed(() => accessOf(store.tab?.method ?? 'GET', match.value, store.tab?.body ?? null))
  const variables = computed<Variables>(
    () => (store.tab?.saved && collections.byId(store.tab.saved.collection)?.variables) ?? {},
  )
  const obstacle = shallowRef<Obstacle | null>(null)
  watch(
    () => [store.tab?.id, store.tab?.method, store.tab?.path, store.tab?.body],
    () => (obstacle.value = null),
  )

  function choose(callable: Callable): void {
    const { tab } = store
    if (!tab) return
    const takesBody = callable.row.body !== null
    store.change(tab.id, {
      method: callable.method,
      path: startPath(callable),
      body: takesBody ? (tab.body ?? '{}') : null,
    })
  }

  async function send(): Promise<void> {
    const { tab } = store
    if (!tab) return
    const open = openPlaceholders(tab.path)
    if (open.length > 0) return void (obstacle.value = { code: 'placeholders', names: open.join(', ') })
    const filled = filledRequest(tab, variables.value)
    if ('missing' in filled) return void (obstacle.value = { code: 'variables', names: filled.missing.join(', ') })
    obstacle.value = null
    if (accessOf(filled.method, matchOf(filled.method, filled.path, all.value), filled.body) === 'read') {
      await store.send(tab.id, filled)
      const seq = store.tabs.find(({ id }) => id === tab.id)?.seq
      if (typeof seq === 'number') await keepAnswer(seq)
      return
    }
    const code = gate.hindrance(filled)
    if (code) return void (obstacle.value = { code, names: '' })
    const operation = await gate.review(filled)
    if (operation) store.change(tab.id, { seq: (await answerTo(operation)).seq })
  }

  return { all, match, access, variables, obstacle, choose, send }
}
