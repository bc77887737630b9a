import { ChatError } from './ask-model';
import { estimateCost } from './estimate-cost';

describe('estimateCost', () => {
  const realFetch = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = realFetch;
  });
  const answerWith = (body: string, status = 200) => {
    globalThis.fetch = async () => new Response(body, { status });
  };

  it('tells the most that a call would cost, and whether it may begin', async () => {
    answerWith('{"credits_max":0.041,"is_affordable":false}');
    expect(await estimateCost('/x', {})).toEqual({ creditsMax: 0.041, isAffordable: false });
  });

  it('has the words of the server when it refuses, and its own when there are none', async () => {
    answerWith('{"error":{"message":"No such model.","code":"model_not_found"}}', 404);
    await expect(estimateCost('/x', {})).rejects.toMatchObject(new ChatError('No such model.', 'model_not_found'));
    answerWith('<html>', 502);
    await expect(estimateCost('/x', {})).rejects.toThrow('The server answered 502.');
    globalThis.fetch = async () => {
      throw new TypeError('offline');
    };
    await expect(estimateCost('/x', {})).rejects.toThrow('cannot be reached');
  });
});
