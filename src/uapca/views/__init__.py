"""What a person sees: a scene (plain data to draw), then matplotlib or the explorer.

A view computes a scene: frozen records of numbers and strings that can be tested, compared and
sent to a browser without drawing. ``uapca.plot`` draws scenes with matplotlib.

===========  =====================================================================================
here         the vocabulary: what there is to draw (`scene`), colours, wording, the axis of scales,
             what views accept (`given`), where labels stand and what room marks take
``rows``     uncertain rows as marks; ``traces`` does the same for factor traces
``plots``    one plot a file, made of the above
``figures``  the figures of the paper, made of plots
``mpl``      draws any scene with matplotlib; knows the vocabulary and nothing else
===========  =====================================================================================
"""
