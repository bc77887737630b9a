import { bodyShape } from '../../providers/chat-request-shape.js';
import { describeIssue } from './describe-issue.js';

const message = { role: 'user', content: 'Hi' };
const wordsOf = (fields: object) => {
  const [issue] = bodyShape.safeParse({ model: 'm', messages: [message], ...fields }).error?.issues ?? [];
  return issue && describeIssue(issue);
};

describe('What is wrong with a field', () => {
  it.each([
    [{ messages: [] }, 'must have at least 1 item'],
    [{ messages: 'Hi' }, 'must be a list'],
    [{ messages: [{ ...message, role: 'robot' }] }, /^must be one of "developer", "system", "user"/],
    [{ model: '' }, 'must have at least 1 character'],
    [{ model: 'm'.repeat(257) }, 'must have at most 256 characters'],
    [{ model: 7 }, 'must be text'],
    [{ temperature: 3 }, 'must be at most 2'],
    [{ temperature: 'warm' }, 'must be a number'],
    [{ max_tokens: 0 }, 'must be at least 1'],
    [{ max_tokens: 1.5 }, 'must be a whole number'],
    [{ max_tokens: 10_000_001 }, 'must be at most 10,000,000'],
    [{ stream: 'yes' }, 'must be true or false'],
    [{ stop: Array(257).fill('a') }, 'must have at most 256 items'],
    [{ logit_bias: [] }, 'must be an object'],
    [{ response_format: { type: 'xml' } }, 'must be one of "text", "json_object", "json_schema"'],
    [{ tool_choice: 'f' }, "must be 'none', 'auto', 'required', or an object that names a function"],
  ])('is said so that it can be mended: %j', (fields, words) => {
    expect(wordsOf(fields)).toMatch(words);
  });
});
