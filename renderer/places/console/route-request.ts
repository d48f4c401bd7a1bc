import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { AppError } from '../../../shared/errors.ts'
import { panelPath } from '../../model/traffic/repeatable-headers.ts'
import { useConsole } from '../../stores/console.ts'
import { toAppError } from '../../stores/errors.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'

/**
 * Opens what the address asks for, `?from=<seq>` a recorded request, `?method=&path=&body=` a new one, and takes it out of the address: the
 * tab is remembered, and a reload must not open it again.
 */
export function useRouteRequest(): Ref<AppError | null> {
  const route = useRoute()
  const router = useRouter()
  const store = useConsole()
  const failure = ref<AppError | null>(null)
  const text = (name: string): string | null => {
    const value = route.query[name]
    return typeof value === 'string' && value !== '' ? value : null
  }

  async function openRecorded(seq: number): Promise<void> {
    const detail = await readExchange({ seq })
    const bytes = detail.request.kept > 0 ? await readExchangeBody(seq, 'request') : null
    const body = bytes && new TextDecoder().decode(bytes)
    store.open({ method: detail.row.method, path: panelPath(detail.row), body, seq })
  }

  watch(
    () => [text('from'), text('path')] as const,
    async ([from, path]) => {
      await store.load()
      if (route.name !== 'console' || (from === null && path === null)) return
      failure.value = null
      try {
        if (from !== null && /^\d+$/.test(from)) await openRecorded(Number(from))
        else if (path !== null) {
          store.open({ method: (text('method') ?? 'GET').toUpperCase().slice(0, 20), path, body: text('body') })
        }
      } catch (thrown) {
        failure.value = toAppError(thrown)
      }
      await router.replace({ name: 'console' })
    },
    { immediate: true },
  )
  return failure
}
