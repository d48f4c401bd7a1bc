import { inject, type InjectionKey, type Ref } from 'vue'

/** Tabs for which the connected host has no data. Provided by the shell. */
export const unavailableTabsKey: InjectionKey<Readonly<Ref<ReadonlySet<string>>>> = Symbol('absent sides')

/** Filters tabs by what the host offers; the current one always stays. */
export function useAvailableTabs<Side extends string>(sides: readonly Side[]): (current: Side) => readonly Side[] {
  const unavailable = inject(unavailableTabsKey, null)
  return (current) => sides.filter((side) => side === current || unavailable?.value.has(side) !== true)
}
