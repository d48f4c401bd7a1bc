import { ref, watch, type Ref } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { AppError } from '../../../shared/errors.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { observeNavigations } from '../../panes/late-navigation.ts'
import { useConsole } from '../../stores/console.ts'
import { toAppError } from '../../stores/errors.ts'
import { readExchangeBody, readExchange } from '../../stores/exchange.ts'

/**
 * Opens the request that the query names: `?from=<seq>` a recorded request, `?method=&path=&body=`
 * a new one. The query is removed afterwards, because a reload would open the request again.
 * @returns the error of the last attempt
 */
export function useRequestFromRoute(): Ref<AppError | null> {
  const route = useRoute()
  const router = useRouter()
  const navigations = observeNavigations(router)
  const store = useConsole()
  const error = ref<AppError | null>(null)
  const getQueryText = (name: string): string | null => {
    const value = route.query[name]
    return typeof value === 'string' && value !== '' ? value : null
  }

  async function openRecordedRequest(seq: number): Promise<void> {
    const detail = await readExchange({ seq })
    const bytes = detail.request.kept > 0 ? await readExchangeBody(seq, 'request') : null
    const body = bytes && new TextDecoder().decode(bytes)
    store.open({ method: detail.row.method, path: getHostApiPath(detail.row), body, seq })
  }

  watch(
    () => [getQueryText('from'), getQueryText('path')] as const,
    async ([from, path]) => {
      await store.load()
      if (route.name !== 'console' || (from === null && path === null)) return
      error.value = null
      try {
        if (from !== null && /^\d+$/.test(from)) await openRecordedRequest(Number(from))
        else if (path !== null) {
          store.open({
            method: (getQueryText('method') ?? 'GET').toUpperCase().slice(0, 20),
            path,
            body: getQueryText('body'),
          })
        }
      } catch (thrown) {
        error.value = toAppError(thrown)
      }
      if (route.name === 'console' && !navigations.pending) await router.replace({ name: 'console' })
    },
    { immediate: true },
  )
  return error
}
