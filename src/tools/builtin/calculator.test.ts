import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredTool } from '../../store/tools/tools.ts'
import type { ToolRun } from '../tool.ts'
import { calculate, calculatorTool } from './calculator.ts'

const RESULTS: [expression: string, result: string][] = [
  ['1+2*3', '= 7'],
  ['0.1 + 0.2', '= 0.3'],
  ['(1200 - 1100) / 1100 * 100', '≈ 9.09090909090909090909'],
  ['1/3', '≈ 0.33333333333333333333'],
  ['2/3', '≈ 0.66666666666666666667'],
  ['-2/3', '≈ -0.66666666666666666667'],
  ['1/3*3', '= 1'],
  ['-2^2', '= -4'],
  ['(-2)^2', '= 4'],
  ['2^3^2', '= 512'],
  ['2**10', '= 1024'],
  ['2^-2', '= 0.25'],
  ['0^0', '= 1'],
  ['(-1)^1000001', '= -1'],
  ['2^0.5^0', '= 2'],
  ['17 % 5', '= 2'],
  ['-17 % 5', '= 3'],
  ['1e3 + .5 + 5.', '= 1005.5'],
  ['1_000_000 × 2 ÷ 4 − 1', '= 499999'],
  ['99999999999999999999 * 99999999999999999999', '= 9999999999999999999800000000000000000001'],
  ['sqrt(2)', '≈ 1.41421356237309504880'.replace(/0$/, '')],
  ['sqrt(1/4)', '= 0.5'],
  ['round(2.5)', '= 3'],
  ['round(-2.5)', '= -3'],
  ['round(1234.567, 1)', '= 1234.6'],
  ['round(1234, -2)', '= 1200'],
  ['floor(-1.5) + ceil(1.2)', '= 0'],
  ['max(1, 3, 2) - min(1, 3, 2)', '= 2'],
  ['sum(1,2,3) / mean(2, 4)', '= 2'],
  ['AVG(1,2)', '= 1.5'],
  ['abs(-7)', '= 7'],
  ['- - 3', '= 3'],
  ['0.00', '= 0'],
]
for (const [expression, result] of RESULTS) {
  test(`${expression} ${result}`, () => assert.equal(calculate(expression), result))
}

const FAULTS: [expression: string, said: RegExp][] = [
  ['1/0', /Division by zero/],
  ['5 % 0', /Division by zero/],
  ['0^-1', /Division by zero/],
  ['1 +', /incomplete/],
  ['(1', /"\)" is missing/],
  ['1 2', /"2" is unexpected/],
  ['process.exit()', /is not a number/],
  ['constructor(1)', /"constructor" is unexpected/],
  ['1; 2', /"; 2" is not a number, an operator or a function/],
  ['2^(1/2)', /sqrt/],
  ['9^9^9', /too long/],
  ['10^100000', /too long/],
  ['1e5000', /too long/],
  ['1'.repeat(1_001), /1000 characters/],
  [Array.from({ length: 60 }, (_, at) => `1.${at + 1}^700`).join('+'), /too long/],
  ['sqrt(-1)', /negative/],
  ['sqrt(1, 2)', /one number/],
  ['round(1, 0.5)', /round\(x/],
  ['('.repeat(400), /nested/],
  ['-'.repeat(400), /signs/],
  ['1,2', /"," is unexpected/],
]
for (const [expression, said] of FAULTS) {
  test(`${expression.slice(0, 30)} is an error`, () => assert.throws(() => calculate(expression), said))
}

test('an invalid expression is an error result', async () => {
  const run = {} as ToolRun // The calculator uses neither its run nor its row.
  const calculator = calculatorTool.createCallable({}, {} as StoredTool)
  assert.deepEqual(await calculator.call({ expression: '1/0' }, run), {
    text: '"1/0" cannot be evaluated. Division by zero.',
    passages: [],
    isError: true,
  })
  assert.match((await calculator.call({}, run)).text, /"expression" is invalid/)
  assert.match((await calculator.call({ expression: 5 }, run)).text, /"expression" is invalid/)
})
