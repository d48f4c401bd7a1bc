import type { CallerReport } from '../../shared/panel/caller-report.ts'
import { call } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'
import { watch } from 'vue'

export interface CallerQuery {
  readonly method: string
  readonly path: string
}

/** Loads again when method, path or connection change, and not while `getQuery` is null. */
export function useCallers(getQuery: () => CallerQuery | null): Resource<CallerReport> {
  const connection = useConnection()
  const resource = useResource(async (signal) => {
    const { method, path } = getQuery() ?? { method: 'GET', path: '/' }
    return call('callers.who', { method, path }, { signal })
  })
  watch(
    () => JSON.stringify([getQuery(), connection.epoch, connection.online]),
    () => {
      if (getQuery() === null) resource.reset()
      else void resource.reload()
    },
    { immediate: true },
  )
  return resource
}
