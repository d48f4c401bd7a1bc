import { defineStore as definePiniaStore } from 'pinia'
import { getCurrentInstance, getCurrentScope, h, render } from 'vue'

/**
 * Pinia's `defineStore`, whose stores do not keep the component that used them first. Vue lets each
 * watcher hold the component in whose setup it begins, with all that it showed; the watchers of a
 * store outlive it.
 */
export function defineStore<Id extends string, State>(id: Id, setup: () => State) {
  return definePiniaStore(id, () => runInEmptyComponent(setup))
}

/** The empty component shares the handler of errors and the turn in updates of the current one. */
function runInEmptyComponent<Result>(run: () => Result): Result {
  const user = getCurrentInstance()
  const scope = getCurrentScope()
  if (user === null || scope === undefined) return run()
  // The functions below must not refer to the current component, or they would keep it.
  const { uid, appContext } = user
  const results: Result[] = []
  const failures: unknown[] = []
  const component = h({
    setup() {
      Object.assign(getCurrentInstance() ?? {}, { uid })
      try {
        scope.run(() => results.push(run()))
      } catch (error) {
        failures.push(error)
      }
      return () => null
    },
  })
  component.appContext = appContext
  render(component, document.createElement('div'))
  if (failures.length > 0) throw failures[0]
  return results[0] as Result
}
