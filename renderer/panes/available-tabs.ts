import { inject, type InjectionKey, type Ref } from 'vue'

/** The shell provides the ids of the tabs for which the connected host has no data. */
export const unavailableTabsKey: InjectionKey<Readonly<Ref<ReadonlySet<string>>>> = Symbol('unavailable tabs')

/** Returns the tabs to show: all with data on the host, and the current tab even without data. */
export function useAvailableTabs<Tab extends string>(tabs: readonly Tab[]): (currentTab: Tab) => readonly Tab[] {
  const unavailable = inject(unavailableTabsKey, null)
  return (currentTab) => tabs.filter((tab) => tab === currentTab || unavailable?.value.has(tab) !== true)
}
