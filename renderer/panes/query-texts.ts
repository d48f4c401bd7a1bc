import { computed, type WritableComputedRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** The parameters of the address. Changes replace it, so that going back leaves the page. */
export function useQueryTexts() {
  const route = useRoute()
  const router = useRouter()
  /** Empty if the address does not name the parameter, or names it more than once. */
  const getText = (name: string): string => {
    const value = route.query[name]
    return typeof value === 'string' ? value : ''
  }
  /** Changes the named parameters, and removes those whose text is empty. */
  function setTexts(texts: Readonly<Record<string, string>>): void {
    const query = Object.entries(texts).map(([name, value]) => [name, value || undefined] as const)
    void router.replace({ query: { ...route.query, ...Object.fromEntries(query) } })
  }
  return {
    getText,
    setTexts,
    bindText: (name: string): WritableComputedRef<string> =>
      computed({ get: () => getText(name), set: (text) => setTexts({ [name]: text }) }),
    /** The first choice is the one of an address that names none. */
    bindChoice: <Choice extends string>(name: string, choices: readonly [Choice, ...Choice[]]) =>
      computed<Choice>({
        get: () => choices.find((choice) => choice === getText(name)) ?? choices[0],
        set: (choice) => setTexts({ [name]: choice === choices[0] ? '' : choice }),
      }),
    /** The texts of a parameter that lists some of the given ones, in the given order. */
    bindChoices: <Choice extends string>(name: string, choices: readonly Choice[]) =>
      computed<ReadonlySet<Choice>>({
        get: () => {
          const listed = getText(name).split(',')
          return new Set(choices.filter((choice) => listed.includes(choice)))
        },
        set: (chosen) => setTexts({ [name]: [...chosen].join(',') }),
      }),
  }
}
