import { expect, test } from 'vitest'
import { parseErrorReasons, findTagPrefix } from '../../../../renderer/model/cards/practice-config.ts'

const template = (config: object): object => ({ plugins: [{ id: 'p', config }] })
const pair = [
  { value: 'careless', label: 'careless · Careless slip' },
  { value: 'memory', label: 'memory · Not remembered' },
]

test.each<[string, object]>([
  [
    'a list of things',
    {
      reasons: [
        { id: 'careless', label: 'Careless slip' },
        { id: 'memory', label: 'Not remembered' },
      ],
    },
  ],
  [
    'other names',
    {
      errorCauses: [
        { key: 'careless', title: 'Careless slip' },
        { code: 'memory', name: 'Not remembered' },
      ],
    },
  ],
  ['a map to labels', { reasons: { careless: 'Careless slip', memory: 'Not remembered' } }],
  [
    'a map to things',
    { causes: { careless: { label: 'Careless slip' }, memory: { label: 'Not remembered', order: 2 } } },
  ],
  [
    'nested',
    {
      practice: {
        errors: {
          list: [
            { id: 'careless', label: 'Careless slip' },
            { id: 'memory', label: 'Not remembered' },
          ],
        },
      },
    },
  ],
  [
    'groups',
    {
      reasons: [
        { label: 'Attention', items: [{ id: 'careless', label: 'Careless slip' }] },
        { id: 'memory', label: 'Not remembered' },
      ],
    },
  ],
  [
    'groups in a map',
    { reasons: { attention: { careless: 'Careless slip' }, knowledge: { memory: 'Not remembered' } } },
  ],
])('the causes of error are read from %s (spec §7: not shown)', (_, config) => {
  expect(parseErrorReasons(template(config))).toEqual(pair)
})

test('plain texts are their own labels, and other values yield no causes', () => {
  expect(parseErrorReasons(template({ reasons: ['careless'] }))).toEqual([{ value: 'careless', label: 'careless' }])
  for (const value of [null, 7, {}, template({ colors: { red: 'Red' } })]) expect(parseErrorReasons(value)).toEqual([])
})

test('the tag prefix is read from the template', () => {
  expect(findTagPrefix(template({ tagPrefix: '#drill' }))).toBe('#drill')
  expect(findTagPrefix(template({ tags: { hashtag_prefix: 'drill/' } }))).toBe('#drill')
  expect(findTagPrefix(template({ tagPrefix: 7 }))).toBeNull()
})

test('a hostile template takes bounded time', () => {
  const circle: Record<string, unknown> = { reasons: {} }
  circle['reasons'] = circle
  expect(parseErrorReasons(circle)).toEqual([])
})
