import { inject, type InjectionKey, type Ref } from 'vue'

/** Sides that the connected host has nothing for: tabs leave them out. Provided by the shell. */
export const unavailableTabsKey: InjectionKey<Readonly<Ref<ReadonlySet<string>>>> = Symbol('absent sides')

/** What of `sides` is there; the current one always is. */
export function useAvailableTabs<Side extends string>(sides: readonly Side[]): (current: Side) => readonly Side[] {
  const absent = inject(unavailableTabsKey, null)
  return (current) => sides.filter((side) => side === current || absent?.value.has(side) !== true)
}
